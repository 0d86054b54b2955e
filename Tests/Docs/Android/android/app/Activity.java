package android.app;

import android.content.ContextWrapper;
import android.os.Bundle;
import org.jetbrains.annotations.Nullable;

public class Activity extends ContextWrapper {
    /** Of every activity. */
    public static Application running;

    public final Application getApplication() { return running; }
    protected void onCreate(@Nullable Bundle state) {}
    protected void onResume() {}
    public void setContentView(int layout) {}
}
