/** A person asked for what cannot be done, or a file of theirs is wrong; anything else is a fault of the program. */
export class UsageError extends Error {}
