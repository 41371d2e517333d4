package bank;

/** Moves money between accounts. */
public final class Transfers {
    /** Moves an amount; fails where there is not enough. */
    public void move(Account from, Account to, long cents) {
        synchronized (from) {
            synchronized (to) {
                if (from.cents() < cents) {
                    throw new IllegalStateException("not enough money");
                }
                from.add(-cents);
                to.add(cents);
            }
        }
    }

    /** Whether two accounts belong together. */
    public boolean isSame(Long a, Long b) {
        return a == b;
    }
}
