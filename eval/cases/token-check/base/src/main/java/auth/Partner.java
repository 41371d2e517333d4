package auth;

public record Partner(String name, String token, boolean enabled) {}
