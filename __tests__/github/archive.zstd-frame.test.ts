import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { isZstd, zstdFrameLength } from '../../src/github/archive.js';

const CONTENTS = [
  ['nothing', Buffer.alloc(0)],
  ['a line', Buffer.from('## x\n')],
  ['one byte over and over', Buffer.alloc(300_000, 7)],
  ['what cannot be packed', randomBytes(300_000)],
  ['text', Buffer.from('a line of text, again\n'.repeat(9_000))],
] as const;

describe('the length of a Zstandard frame', () => {
  it.each(CONTENTS)('is found by its blocks, for %s', (_, content) => {
    const frame = zstdCompressSync(content);
    expect(zstdFrameLength(frame)).toBe(frame.length);
    expect(zstdFrameLength(Buffer.concat([frame, frame]))).toBe(frame.length);
  });

  it.each(CONTENTS)('matches that of the program, with checksum and without a size, for %s', (_, input) => {
    for (const args of [[], ['--no-check'], ['-19'], ['--no-content-size']]) {
      const frame = execFileSync('zstd', ['-c', '-q', ...args], { input });
      expect(zstdFrameLength(frame)).toBe(frame.length);
    }
  });

  it('is unknown if the frame is cut off', () => {
    const frame = zstdCompressSync(Buffer.from('some text'));
    for (let length = 6; length < frame.length; length += 1)
      expect(zstdFrameLength(frame.subarray(0, length))).toBeUndefined();
  });

  it('is read only from data that starts like a frame', () => {
    expect(isZstd(zstdCompressSync(Buffer.from('x')))).toBe(true);
    expect(isZstd(Buffer.from('x'.repeat(20)))).toBe(false);
    expect(isZstd(Buffer.alloc(0))).toBe(false);
  });
});
