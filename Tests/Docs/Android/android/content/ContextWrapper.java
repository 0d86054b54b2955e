package android.content;

import java.util.HashMap;
import java.util.Map;
import org.jetbrains.annotations.Nullable;

public class ContextWrapper extends Context {
    /** One file of preferences, which outlives an app that is started again. Another map is another device's. */
    public static Map<String, String> preferences = new HashMap<>();

    @Override public SharedPreferences getSharedPreferences(String name, int mode) {
        Map<String, String> preferences = ContextWrapper.preferences;
        return new SharedPreferences() {
            @Override @Nullable public String getString(String key, @Nullable String standard) {
                return preferences.getOrDefault(key, standard);
            }

            @Override public Editor edit() {
                return new Editor() {
                    @Override public Editor putString(String key, @Nullable String value) {
                        preferences.put(key, value);
                        return this;
                    }

                    @Override public Editor remove(String key) {
                        preferences.remove(key);
                        return this;
                    }

                    @Override public boolean commit() { return true; }
                };
            }
        };
    }

    @Override public String getPackageName() { return "com.example.shop"; }
    @Override public void startActivity(Intent intent) {}
}
