import java.util.HashMap;
import java.util.Map;

class Cache {
    private final Map<String, String> items = new HashMap<>();
}
