package org.json;

import java.util.Collection;
import org.jetbrains.annotations.NotNull;

public class JSONArray {
    public JSONArray(Collection<?> values) {}
    public int length() { return 0; }
    @NotNull public JSONObject getJSONObject(int index) throws JSONException { return null; }
}
