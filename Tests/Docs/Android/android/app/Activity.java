package android.app;

import android.content.ContextWrapper;
import android.os.Bundle;
import org.jetbrains.annotations.Nullable;

public class Activity extends ContextWrapper {
    public final Application getApplication() { return null; }
    protected void onCreate(@Nullable Bundle state) {}
    protected void onResume() {}
    public void setContentView(int layout) {}
}
