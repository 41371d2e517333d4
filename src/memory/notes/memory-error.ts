/** What can go wrong with a memory file (memory-tools 2.2). */
export type MemoryError =
  | { readonly kind: 'file-not-found'; readonly path: string }
  | {
      readonly kind: 'file-too-large';
      readonly path: string;
      readonly bytes: number;
      readonly limitBytes: number;
    }
  | { readonly kind: 'invalid-content'; readonly message: string }
  | { readonly kind: 'storage-failed'; readonly operation: string; readonly cause: string }
  | { readonly kind: 'path-refused'; readonly message: string };

/** The error in the words of memory-tools 2.2. */
export function formatMemoryError(error: MemoryError): string {
  switch (error.kind) {
    case 'file-not-found':
      return `Memory file not found: ${error.path}`;
    case 'file-too-large':
      return `Memory file '${error.path}' exceeds size limit: ${error.bytes} bytes (limit: ${error.limitBytes} bytes)`;
    case 'invalid-content':
      return `Invalid content: ${error.message}`;
    case 'storage-failed':
      return `Storage operation '${error.operation}' failed: ${error.cause}`;
    case 'path-refused':
      return `Path validation failed: ${error.message}`;
  }
}

/** What a tool answers on the error: wrong arguments, no permission, or an execution that failed. */
export function formatToolError(tool: string, error: MemoryError): string {
  switch (error.kind) {
    case 'invalid-content':
      return invalidArguments(tool, error.message);
    case 'path-refused':
      return `Permission denied for tool '${tool}': ${error.message}`;
    case 'file-not-found':
    case 'file-too-large':
    case 'storage-failed':
      return `Tool '${tool}' execution failed: ${formatMemoryError(error)}`;
  }
}

/** What a tool answers to arguments that it does not take. */
export function invalidArguments(tool: string, message: string): string {
  return `Invalid arguments for tool '${tool}': ${message}`;
}
