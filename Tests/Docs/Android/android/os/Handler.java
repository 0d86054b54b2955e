package android.os;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** The main thread of an app. It waits a thousand times less than it is asked to. */
public class Handler {
    public static final List<Long> delays = new CopyOnWriteArrayList<>();
    private static final ScheduledExecutorService main = Executors.newSingleThreadScheduledExecutor();
    private final Map<Runnable, Future<?>> waiting = new ConcurrentHashMap<>();

    public Handler(Looper looper) {}

    public final boolean post(Runnable work) {
        main.execute(reporting(work));
        return true;
    }

    public final boolean postDelayed(Runnable work, long milliseconds) {
        delays.add(milliseconds);
        waiting.put(work, main.schedule(reporting(work), milliseconds, TimeUnit.MICROSECONDS));
        return true;
    }

    public final void removeCallbacks(Runnable work) {
        Future<?> future = waiting.remove(work);
        if (future != null) future.cancel(false);
    }

    private static Runnable reporting(Runnable work) {
        return () -> {
            try {
                work.run();
            } catch (Throwable error) {
                error.printStackTrace();
                System.exit(1);
            }
        };
    }
}
