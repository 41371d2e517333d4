package bank;

public final class Account {
    private final long id;
    private long cents;

    public Account(long id, long cents) {
        this.id = id;
        this.cents = cents;
    }

    public long id() {
        return id;
    }

    public long cents() {
        return cents;
    }

    void add(long more) {
        cents += more;
    }
}
