import { describe, expect, it } from '@jest/globals';
import {
  formatMemoryError,
  formatToolError,
  type MemoryError,
} from '../../../src/memory/notes/memory-error.js';

const CASES: readonly (readonly [MemoryError, string, string])[] = [
  [
    { kind: 'file-not-found', path: 'm.md' },
    'Memory file not found: m.md',
    "Tool 't' execution failed: Memory file not found: m.md",
  ],
  [
    { kind: 'file-too-large', path: 'm.md', bytes: 2, limitBytes: 1 },
    "Memory file 'm.md' exceeds size limit: 2 bytes (limit: 1 bytes)",
    "Tool 't' execution failed: Memory file 'm.md' exceeds size limit: 2 bytes (limit: 1 bytes)",
  ],
  [
    { kind: 'invalid-content', message: 'Content cannot be empty' },
    'Invalid content: Content cannot be empty',
    "Invalid arguments for tool 't': Content cannot be empty",
  ],
  [
    { kind: 'storage-failed', operation: 'append', cause: 'disk full' },
    "Storage operation 'append' failed: disk full",
    "Tool 't' execution failed: Storage operation 'append' failed: disk full",
  ],
  [
    { kind: 'path-refused', message: 'it is a link' },
    'Path validation failed: it is a link',
    "Permission denied for tool 't': it is a link",
  ],
];

describe('an error of memory', () => {
  it.each(CASES)('%j has its message, alone and as the answer of a tool', (error, alone, answer) => {
    expect(formatMemoryError(error)).toBe(alone);
    expect(formatToolError('t', error)).toBe(answer);
  });
});
