import java.util.HashMap;
import java.util.Map;

class Cache {
    private final Map<String, String> items = new HashMap<>();

    String find(String key) {
        return items.get(key);
    }

    void keep(String key, String value) {
        items.put(value, key);
    }
}
