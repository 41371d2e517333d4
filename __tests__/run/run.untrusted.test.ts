import { expect, it } from '@jest/globals';
import { DEFAULT_ADMISSION_POLICY } from '../../src/event/permission.js';
import type { Trigger } from '../../src/event/trigger.js';
import { runPipeline } from '../../src/run/run.js';
import type { Tool } from '../../src/tools/tool.js';
import { AGENT, createFakeDependencies, makeRequest } from '../helpers/dependencies-fake.js';
import { call, createFakeModel, reply, says } from '../helpers/model-fake.js';
import { comment, issue, SCHEDULE, STRANGER } from '../helpers/triggers.js';

const FETCH: Tool = {
  name: 'url_fetch',
  effect: 'network',
  description: 'fetches',
  inputSchema: { type: 'object' },
  execute: async () => ({ text: 'A page.', isError: false }),
};

it.each<[string, Trigger, boolean, boolean]>([
  ['a schedule', SCHEDULE, false, false],
  ['a schedule that reads a page of the network', SCHEDULE, true, true],
  ['an issue of a writer', issue(), false, false],
  ['an issue of a stranger on which a writer comments', comment({ subjectAuthor: STRANGER }), false, true],
  ['an issue of a stranger', issue({ actor: STRANGER, author: STRANGER }), false, true],
])(
  'the publisher is informed whether %s might contain text by strangers',
  async (_, trigger, isFetching, isUntrusted) => {
    const turns = [...(isFetching ? [reply([call('call_1', 'url_fetch', {})])] : []), says('See #12.')];
    const deps = createFakeDependencies({
      agents: { bot: `${AGENT}tools = ["url_fetch"]\n` },
      model: createFakeModel(turns),
      permissions: { octocat: { kind: 'known', permission: 'write' } },
      boxes: { bot: { tools: [FETCH] } },
    });
    const admissionPolicy = { ...DEFAULT_ADMISSION_POLICY, minPermission: 'none' } as const;
    await runPipeline(makeRequest({ trigger, admissionPolicy }), deps);
    expect(deps.requests.map(({ lane }) => lane !== 'trusted')).toEqual([isUntrusted]);
  },
);
