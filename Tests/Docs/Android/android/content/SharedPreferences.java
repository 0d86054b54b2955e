package android.content;

import org.jetbrains.annotations.Nullable;

public interface SharedPreferences {
    @Nullable String getString(String key, @Nullable String standard);
    Editor edit();

    interface Editor {
        Editor putString(String key, @Nullable String value);
        Editor remove(String key);
        boolean commit();
    }
}
