package android.content;

public class ContextWrapper extends Context {
    @Override public SharedPreferences getSharedPreferences(String name, int mode) { return null; }
    @Override public String getPackageName() { return null; }
    @Override public void startActivity(Intent intent) {}
}
