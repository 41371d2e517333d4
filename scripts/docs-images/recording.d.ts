/** A recording of a command on a terminal as an SVG that plays once. */
export function recording(command: string, lines: readonly string[]): string;
