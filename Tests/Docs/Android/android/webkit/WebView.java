package android.webkit;

import org.jetbrains.annotations.Nullable;

/** A page, whose answer to every script a scenario sets. */
public class WebView {
    public static String answer = "true";
    public static String script;

    public void evaluateJavascript(String script, @Nullable ValueCallback<String> callback) {
        WebView.script = script;
        callback.onReceiveValue(answer);
    }
}
