import { join } from 'node:path';
import { tempDir, writeFiles } from './temp.js';

/** What a test makes of the runtime. */
export interface FakeRuntime {
  /** Options of each client that was made, in order. */
  readonly clients: { readonly env: Readonly<Record<string, string>>; readonly workingDirectory: string }[];
  /** Settings of each session. */
  readonly sessions: Readonly<Record<string, unknown>>[];
  /** Names of the methods that were called, in order. */
  readonly calls: string[];
  /** What the n-th call of a method (from 1) does first; a thrown error is its result. */
  readonly before: Partial<Record<'start' | 'createSession' | 'send' | 'stop', (count: number) => void>>;
}

/**
 * A folder with an SDK that keeps to the real one's contract as far as it is used: it asks for the list of models and
 * sends a session's message through the request handler. It has no process.
 */
export function installFakeSdk(version = '1.0.14', source = SOURCE): string {
  const folder = tempDir('copilot-sdk');
  const root = join('node_modules', '@github', 'copilot-sdk');
  writeFiles(folder, {
    [join(root, 'package.json')]: JSON.stringify({ name: '@github/copilot-sdk', version, type: 'module' }),
    [join(root, 'dist', 'index.js')]: source,
  });
  return folder;
}

/** The runtime that clients of the fake SDK share; a new one for each test. */
export function startFakeRuntime(before: FakeRuntime['before'] = {}): FakeRuntime {
  const runtime: FakeRuntime = { clients: [], sessions: [], calls: [], before };
  Reflect.set(globalThis, 'fakeCopilotRuntime', runtime);
  return runtime;
}

const SOURCE = `
const runtime = () => globalThis.fakeCopilotRuntime;
function called(name) {
  runtime().calls.push(name);
  runtime().before[name]?.(runtime().calls.filter((one) => one === name).length);
}
export class CopilotRequestHandler {}
export const RuntimeConnection = { forStdio: () => ({ kind: 'stdio' }) };
export class CopilotClient {
  constructor(options) {
    this.options = options;
    this.isListed = false;
    runtime().clients.push(options);
  }
  async start() { called('start'); }
  async listModels() {
    called('listModels');
    const answer = await this.ask('GET', '/models', {});
    if (!answer.ok) throw new Error('GenericFailure');
  }
  async createSession(settings) {
    called('createSession');
    runtime().sessions.push(settings);
    const sessionId = 's' + runtime().sessions.length;
    const listeners = [];
    return {
      sessionId,
      on: (listener) => listeners.push(listener),
      send: async () => {
        called('send');
        const answer = await this.ask('POST', '/responses', { sessionId });
        listeners.forEach((tell) => tell({ type: 'session.error', data: { message: 'status ' + answer.status } }));
      },
      disconnect: async () => called('disconnect'),
    };
  }
  async deleteSession() { called('deleteSession'); }
  async stop() { called('stop'); }
  async forceStop() { called('forceStop'); }
  ask(method, path, context) {
    const { env, requestHandler } = this.options;
    const headers = {
      authorization: 'Bearer ' + env.COPILOT_GITHUB_TOKEN,
      'content-type': 'application/json',
      'copilot-integration-id': 'copilot-sdk',
      'x-initiator': 'user',
      'x-interaction-id': crypto.randomUUID(),
    };
    const body = method === 'GET' ? undefined : '{"from":"the runtime"}';
    return requestHandler.sendRequest(new Request(env.COPILOT_API_URL + path, { method, headers, body }), context);
  }
}
`;
