package web;

public final class Pages {
    public int size(String text) {
        return 20;
    }
}
