package android.app;

import android.content.ContextWrapper;

public class Activity extends ContextWrapper {
    public final Application getApplication() { return null; }
    protected void onResume() {}
}
