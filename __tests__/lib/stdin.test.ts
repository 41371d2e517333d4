import { execFileSync } from 'node:child_process';
import { closeSync, constants, createReadStream, openSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, describe, expect, it } from '@jest/globals';
import { ProviderError } from '../../src/lib/errors.js';
import { readStdin } from '../../src/lib/user-files.js';
import { tempDir, writeFiles } from '../helpers/temp.js';

const quiet = new AbortController().signal;
const reason = new ProviderError('timeout', 'context deadline exceeded');
const opened = new Set<Readable>();

afterEach(() => {
  for (const stream of opened) stream.destroy();
  opened.clear();
});

/** A file or folder as standard input, read a few bytes at a time. */
function stream(path: string): Readable & { fd: number } {
  const fd = openSync(path, 'r');
  return Object.assign(createReadStream('', { fd, highWaterMark: 3 }), { fd });
}

/** A pipe as standard input, and its other end. */
function pipe(): { stdin: Readable & { fd: number }; write: (text: string) => void; end: () => void } {
  const path = join(tempDir('stdin'), 'pipe');
  execFileSync('mkfifo', [path]);
  // Opened for reading first without waiting for a writer, as the other end is this process too.
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const writer = openSync(path, 'w');
  const stdin = Object.assign(new Socket({ fd, readable: true, writable: false }), { fd });
  opened.add(stdin);
  return { stdin, write: (text) => void writeSync(writer, text), end: () => closeSync(writer) };
}

describe('standard input (axe-behaviour §6)', () => {
  it('is empty if it is /dev/null, or closed', async () => {
    const fd = openSync('/dev/null', 'r');
    const read = () => {
      throw new Error('it was read');
    };
    const untouched = Object.assign(new Readable({ read }), { fd });
    expect(await readStdin(untouched, quiet)).toBe('');
    closeSync(fd);
    expect(await readStdin(untouched, quiet)).toBe('');
  });

  it.each<[string | Uint8Array, string]>([
    ['', ''],
    ['a\r\nb\n', 'a\r\nb\n'],
    ['\uFEFFwith a mark', '\uFEFFwith a mark'],
    ['größer 🙂 日本', 'größer 🙂 日本'],
    [new Uint8Array([0x61, 0xff, 0xfe, 0x62]), 'a\uFFFD\uFFFDb'],
  ])('is read byte for byte from a file: %j', async (content, text) => {
    const folder = tempDir('stdin');
    writeFiles(folder, { input: content });
    expect(await readStdin(stream(join(folder, 'input')), quiet)).toBe(text);
  });

  it('is read from a pipe to its end', async () => {
    const { stdin, write, end } = pipe();
    write('one ');
    const text = readStdin(stdin, quiet);
    write('two');
    end();
    expect(await text).toBe('one two');
  });

  it('ends with the reason if nobody closes the pipe', async () => {
    const { stdin, write, end } = pipe();
    const controller = new AbortController();
    const text = readStdin(stdin, controller.signal);
    write('still ');
    setImmediate(() => controller.abort(reason));
    await expect(text).rejects.toBe(reason);
    expect(stdin.destroyed).toBe(true);
    end();
  });

  it('is not read any more after the deadline', async () => {
    const { stdin, end } = pipe();
    await expect(readStdin(stdin, AbortSignal.abort(reason))).rejects.toBe(reason);
    end();
  });

  it('that cannot be read is an error, exit status 1', async () => {
    await expect(readStdin(stream(tempDir('stdin')), quiet)).rejects.toMatchObject({
      name: 'AxeError',
      message: 'failed to read stdin: read /dev/stdin: is a directory',
      exitCode: 1,
    });
  });
});
