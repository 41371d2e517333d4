package web;

public final class Pages {
    public int size(String text) {
        return 1000 / Query.between(text, 10, 100);
    }
}
