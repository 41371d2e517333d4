package shop;

import java.util.Objects;

public final class Money {
    private final String currency;
    private final long cents;

    public Money(String currency, long cents) {
        this.currency = Objects.requireNonNull(currency);
        this.cents = cents;
    }

    public String currency() {
        return currency;
    }

    public long cents() {
        return cents;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Money that && that.cents == cents && that.currency.equals(currency);
    }

    @Override
    public int hashCode() {
        return Objects.hash(currency, cents);
    }
}
