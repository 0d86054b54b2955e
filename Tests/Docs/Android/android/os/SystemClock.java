package android.os;

/** Runs a thousand times faster, as the main thread waits a thousand times less. */
public final class SystemClock {
    public static long elapsedRealtime() { return System.nanoTime() / 1000; }
}
