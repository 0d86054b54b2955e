package org.jetbrains.annotations;

public @interface Nullable {}
