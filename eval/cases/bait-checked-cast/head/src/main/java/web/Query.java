package web;

public final class Query {
    private Query() {}

    /** A number between two limits; the lower one where it is none. */
    public static int between(String text, int low, int high) {
        try {
            return Math.max(low, Math.min(high, Integer.parseInt(text)));
        } catch (NumberFormatException notANumber) {
            return low;
        }
    }
}
