import { isAbsolute, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Environment } from '../../core/environment.js';
import { AxeError } from '../../core/errors.js';
import type { CopilotPorts } from './copilot-token.js';
import { field, parseJson } from './json.js';
import type { ReadTextFile } from './keyless.js';
import { firstSet } from './settings.js';

/** Environment variable of the folder that a step of the workflow installed the SDK in. */
const FOLDER_VARIABLE = 'AXE_COPILOT_SDK';
const PACKAGE = '@github/copilot-sdk';

/** The version that examples install. */
const TESTED_VERSION = '1.0.14';

/** The request handler is marked experimental in the SDK's types, so only versions of the tested minor are used. */
const OLDEST_PATCH = 13;

/** One conversation of the runtime: ours end with their first request. */
export interface CopilotSession {
  readonly sessionId: string;
  on(listener: (event: unknown) => void): unknown;
  send(message: { readonly prompt: string }): Promise<unknown>;
  disconnect(): Promise<void>;
}

/** A runtime that was started. */
export interface CopilotClient {
  start(): Promise<void>;
  listModels(): Promise<unknown>;
  createSession(settings: Readonly<Record<string, unknown>>): Promise<CopilotSession>;
  deleteSession(sessionId: string): Promise<void>;
  stop(): Promise<unknown>;
  forceStop(): Promise<void>;
}

/** What of the SDK is used. */
export interface CopilotSdk {
  readonly CopilotClient: new (options: Readonly<Record<string, unknown>>) => CopilotClient;
  readonly CopilotRequestHandler: new () => object;
  readonly RuntimeConnection: { forStdio(): unknown };
}

interface SdkSources extends Pick<CopilotPorts, 'isInWorkspace'> {
  readonly env: Environment;
  readonly readTextFile: ReadTextFile;
}

/**
 * The module of the SDK that the workflow installed. Throws an AxeError (exit 3, or 2 for a folder that must not be used) that names
 * the line to add. The package is never looked for in the workspace, which a pull request can write.
 */
export async function findCopilotSdk({ env, readTextFile, isInWorkspace }: SdkSources): Promise<string> {
  const folder = firstSet([env[FOLDER_VARIABLE]]);
  if (folder === undefined) throw missing(`\`${FOLDER_VARIABLE}\` is not set`);
  const root = join(folder, 'node_modules', ...PACKAGE.split('/'));
  if (!isAbsolute(folder) || (await isInWorkspace(folder)) || (await isInWorkspace(root))) {
    throw new AxeError(`\`${FOLDER_VARIABLE}\` does not name an absolute path outside of the workspace`, {
      exitCode: 2,
      remedy: `A pull request can write the workspace. Install the SDK outside of it: ${INSTALL}`,
    });
  }
  const text = await readTextFile(join(root, 'package.json'));
  if (text === undefined) throw missing(`\`${FOLDER_VARIABLE}\` names a folder without \`${PACKAGE}\``);
  const version = field(parseJson(text), 'version');
  if (typeof version !== 'string' || !isTested(version)) throw untested(version);
  return join(root, 'dist', 'index.js');
}

/** Loads the SDK. Throws an AxeError if it is not what its version promises. */
export async function loadCopilotSdk(module: string): Promise<CopilotSdk> {
  const address = pathToFileURL(module).href;
  // Not a package of ours: the bundler must leave this import to run time.
  const loaded: unknown = await import(address).catch((cause: unknown) => {
    throw new AxeError('the Copilot SDK cannot be loaded', { exitCode: 3, remedy: REINSTALL, cause });
  });
  if (isSdk(loaded)) return loaded;
  throw new AxeError('the Copilot SDK does not have the functions that this action uses', {
    exitCode: 3,
    remedy: REINSTALL,
  });
}

function isSdk(value: unknown): value is CopilotSdk {
  const isClass = (name: string) => typeof field(value, name) === 'function';
  const connection = field(value, 'RuntimeConnection');
  return (
    isClass('CopilotClient') &&
    isClass('CopilotRequestHandler') &&
    typeof field(connection, 'forStdio') === 'function'
  );
}

function isTested(version: string): boolean {
  const patch = /^1\.0\.(\d{1,6})$/.exec(version)?.[1];
  return patch !== undefined && Number(patch) >= OLDEST_PATCH;
}

const INSTALL =
  'add a step before this one, ' +
  `\`run: npm install --prefix "$RUNNER_TEMP/copilot" --ignore-scripts --no-save ${PACKAGE}@${TESTED_VERSION}\`, ` +
  `and give this step \`env: { ${FOLDER_VARIABLE}: \${{ runner.temp }}/copilot }\`.`;
const REINSTALL = `Install it again: ${INSTALL}`;

function missing(reason: string): AxeError {
  return new AxeError(`models of \`copilot\` need the Copilot SDK, and ${reason}`, {
    exitCode: 3,
    remedy: `In a workflow, ${INSTALL}`,
  });
}

function untested(version: unknown): AxeError {
  const shown = typeof version === 'string' ? version.slice(0, 40) : 'unknown';
  return new AxeError(
    `the Copilot SDK has version ${JSON.stringify(shown)}; this action works with 1.0.${OLDEST_PATCH} and later versions of 1.0`,
    { exitCode: 3, remedy: `Install a tested version: ${INSTALL}` },
  );
}
