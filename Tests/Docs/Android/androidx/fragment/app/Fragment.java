package androidx.fragment.app;

import android.app.Activity;
import org.jetbrains.annotations.Nullable;

public class Fragment {
    private final Activity activity = new Activity();

    @Nullable public final Activity getActivity() { return activity; }
}
