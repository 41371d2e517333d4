import { cleanLine } from '../../lib/text/cut.js';

/** Longest description of a failure, in code points: servers answer with whole pages. */
const MAX_FAILURE = 500;

/** Looks at what was thrown without asking which class it is of: errors of fetch are not of ours. */
export function mcpFailure(thrown: unknown) {
  const error = typeof thrown === 'object' && thrown !== null ? thrown : { message: thrown };
  return {
    name: 'name' in error ? String(error.name) : '',
    message: 'message' in error ? String(error.message) : '',
    /** A JSON-RPC code or an HTTP status; undefined for everything else. */
    code: 'code' in error && typeof error.code === 'number' ? error.code : undefined,
    cause: 'cause' in error ? error.cause : undefined,
    /** What a JSON-RPC error brings along. */
    data: 'data' in error ? error.data : undefined,
  };
}

/** What went wrong with a server, on one line, for people and for the model. */
export function describeFailure(thrown: unknown): string {
  const { name, message, code = 0, cause } = mcpFailure(thrown);
  if (name === 'SyntaxError') return 'its answer is not JSON';
  if (name.endsWith('ZodError')) return 'its answer does not follow the protocol';
  // fetch's own TypeError says nothing; the reason is its cause.
  const reason = name === 'TypeError' && cause !== undefined ? `: ${reasonOf(cause)}` : '';
  const text = cleanLine(`${message}${reason}`, MAX_FAILURE);
  // A server may use any number in errors of its own.
  if (name === 'McpError') return text;
  if (code === 401 || code === 403) return `HTTP ${code}, check its \`headers\` (${text})`;
  return code >= 300 && code <= 599 ? `HTTP ${code} (${text})` : text;
}

/** The first of several reasons where several addresses were tried. */
function reasonOf(cause: unknown): string {
  const errors = typeof cause === 'object' && cause !== null && 'errors' in cause ? cause.errors : undefined;
  return mcpFailure(Array.isArray(errors) ? errors[0] : cause).message;
}
