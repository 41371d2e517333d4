package export;

public record Row(String name, int count) {}
