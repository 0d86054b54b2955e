// The part of Android that the documentation's Kotlin uses, after https://developer.android.com/reference/packages.
package android.content;

public abstract class Context {
    public static final int MODE_PRIVATE = 0;
    public abstract SharedPreferences getSharedPreferences(String name, int mode);
    public abstract String getPackageName();
    public abstract void startActivity(Intent intent);
}
