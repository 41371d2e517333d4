import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { machineNode, runCli } from './run-cli.js';
import { tempDir, writeFiles } from './temp.js';

const ECHO = `
const chunks = [];
const answer = () => {
  process.stdout.write(JSON.stringify({ args: process.argv.slice(2), stdin: Buffer.concat(chunks).toString('hex'), env: Object.keys(process.env) }));
  process.stderr.write(process.version);
  process.exit(4);
};
process.stdin.on('data', (chunk) => chunks.push(chunk)).on('end', answer);
if (process.argv[2] === 'impatient') setImmediate(answer);
`;

function program(): string {
  const folder = tempDir('program');
  writeFiles(folder, { 'index.cjs': ECHO });
  return join(folder, 'index.cjs');
}

describe('the command line in a process of its own', () => {
  it.each([
    ['bytes', new Uint8Array([0x68, 0xff]), '68ff'],
    ['text', 'hé', '68c3a9'],
    ['the null device', { kind: 'null' } as const, ''],
  ])('reads %s', async (_, stdin, hex) => {
    const result = await runCli(['run', 'a b'], { program: program(), stdin });
    expect(JSON.parse(result.stdout)).toEqual({
      args: ['run', 'a b'],
      stdin: hex,
      env: expect.arrayContaining(['PATH', 'HOME']),
    });
    expect(result.exitCode).toBe(4);
    expect(result.stdoutBytes.toString()).toBe(result.stdout);
  });

  it('ends when the program ends, even if its standard input stays open', async () => {
    const result = await runCli(['impatient'], { program: program(), stdin: { kind: 'pipe-open' } });
    expect(result.exitCode).toBe(4);
  });

  it('runs on another Node if the machine has one', async () => {
    const node = machineNode();
    expect(node ?? '').not.toContain('node_modules');
    const result = await runCli([], { program: program(), ...(node === undefined ? {} : { node }) });
    expect(result.stderr).toMatch(/^v\d+\./);
  });
});
