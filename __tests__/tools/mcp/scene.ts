import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterEach } from '@jest/globals';
import type { McpServerConfig } from '../../../src/agent/config.js';
import type { Warning } from '../../../src/lib/errors.js';
import { connectMcpServers } from '../../../src/tools/mcp/connect.js';
import { openServer } from '../../../src/tools/mcp/server.js';
import type { Tool } from '../../../src/tools/tool.js';

const { resolve } = createRequire(import.meta.url);

/** The protocol's own example servers. */
export const EVERYTHING = resolve('@modelcontextprotocol/server-everything/dist/index.js');
export const FILESYSTEM = resolve('@modelcontextprotocol/server-filesystem/dist/index.js');

/** One that speaks the newer protocol alone. */
export const MODERN_SERVER = join(import.meta.dirname, '../../fixtures/mcp/modern.mjs');

/** The server that misbehaves as its first argument says. */
export const BAD_SERVER = join(import.meta.dirname, '../../fixtures/mcp/server.mjs');

type Tools = Awaited<ReturnType<typeof connectMcpServers>>;

const open: Tools[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((tools) => tools.close()));
});

/** A server that is this Node with a script. */
export function stdioServer(name: string, args: readonly string[]): McpServerConfig {
  return {
    name,
    transport: 'stdio',
    url: '',
    headers: {},
    command: process.execPath,
    args,
    env: {},
    required: false,
  };
}

/** The fixture that misbehaves. */
export function badServer(mode: string, ...args: readonly string[]): McpServerConfig {
  return stdioServer(mode, [BAD_SERVER, mode, ...args]);
}

/**
 * Connects with this machine's clock, processes and fetch; what is still open is closed after the
 * test.
 */
export async function connect(
  servers: readonly McpServerConfig[],
  options: Partial<Parameters<typeof connectMcpServers>[1]> = {},
) {
  const warnings: Warning[] = [];
  const signal = new AbortController().signal;
  const connected = await connectMcpServers(servers, {
    env: {},
    childEnv: { PATH: process.env['PATH'] ?? '' },
    cwd: import.meta.dirname,
    open: openServer,
    fetch: globalThis.fetch,
    signal,
    timeoutMs: 100_000,
    callTimeoutMs: 100_000,
    secrets: [],
    reserved: [],
    warn: (warning) => warnings.push(warning),
    ...options,
  });
  open.push(connected);
  function tool(name: string): Tool {
    const found = connected.tools.find((one) => one.name === name);
    if (found === undefined)
      throw new Error(`no tool ${name} among ${connected.tools.map((one) => one.name)}`);
    return found;
  }
  return {
    ...connected,
    warnings,
    tool,
    call: async (name: string, input: unknown = {}) =>
      await tool(name).execute(input, options.signal ?? signal),
  };
}

/**
 * Resolves when none of the processes runs any more. A container may never collect the dead: those
 * count as gone.
 */
export async function untilGone(pids: readonly number[]): Promise<void> {
  await until(() => !pids.some(isAlive));
}

/** Looks again and again, with an end, so that a failed test does not go on for ever. */
export async function until(isSo: () => boolean): Promise<void> {
  for (let tries = 0; !isSo(); tries += 1) {
    if (tries === 10_000) throw new Error('it never came true');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Whether a process exists that has not ended. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  return !existsSync('/proc/self/stat') || !/^\d+ \(.*\) Z /s.test(tryRead(`/proc/${pid}/stat`));
}

/** The text of a file; empty while there is none. */
export function tryRead(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
