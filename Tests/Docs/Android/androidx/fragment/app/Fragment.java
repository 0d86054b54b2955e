package androidx.fragment.app;

import android.app.Activity;
import org.jetbrains.annotations.Nullable;

public class Fragment {
    @Nullable public final Activity getActivity() { return null; }
}
