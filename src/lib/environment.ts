/** Variables of the environment by name; what is not set is undefined. */
export type Environment = Readonly<Record<string, string | undefined>>;
