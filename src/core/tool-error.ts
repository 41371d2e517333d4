/**
 * A tool could not do what it was asked to: the message is the answer to the model, unchanged. It never leaves the
 * tool.
 */
export class ToolError extends Error {
  override readonly name = 'ToolError';
}
