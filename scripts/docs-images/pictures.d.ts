/** The files of a set of sources by name. */
export function picturesOf(sources: unknown): Readonly<Record<string, string>>;
