package org.json;

import org.jetbrains.annotations.NotNull;
import org.jetbrains.annotations.Nullable;

public class JSONObject {
    public JSONObject() {}
    public JSONObject(@NotNull String json) throws JSONException {}
    @NotNull public JSONObject put(@NotNull String name, @Nullable Object value) throws JSONException { return this; }
    @NotNull public JSONArray getJSONArray(@NotNull String name) throws JSONException { return null; }
    @NotNull public String getString(@NotNull String name) throws JSONException { return null; }
    @NotNull public String optString(@NotNull String name) { return null; }
}
