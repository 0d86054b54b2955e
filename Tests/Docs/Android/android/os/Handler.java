package android.os;

public class Handler {
    public Handler(Looper looper) {}
    public final boolean post(Runnable work) { return true; }
    public final boolean postDelayed(Runnable work, long milliseconds) { return true; }
}
