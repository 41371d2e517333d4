/** Stands behind text of memory that was cut: 22 bytes, which no cap counts (memory-tools 1.3). */
export const TRUNCATED_MARK = '\n…[memory truncated]';
