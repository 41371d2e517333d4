package shop;

import java.util.Objects;

/** An amount in a currency. */
public record Money(String currency, long cents) {
    public Money {
        Objects.requireNonNull(currency);
    }
}
