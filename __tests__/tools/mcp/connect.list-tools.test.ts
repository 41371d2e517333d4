import { describe, expect, it } from '@jest/globals';
import { listTools, MAX_OFFERED, MAX_PAGES } from '../../../src/tools/mcp/connect.js';
import type { McpServer } from '../../../src/tools/mcp/server.js';

/** A server whose list never ends: each page names a next one that nobody has seen before. */
function endlessServer(toolsPerPage: number) {
  let pages = 0;
  const server: McpServer = {
    name: 'endless',
    request: async () => {
      pages += 1;
      const tools = Array.from({ length: toolsPerPage }, (_, index) => ({ name: `t${pages}-${index}` }));
      // Without a limit the test still ends, and fails.
      return { tools, ...(pages < 10 * MAX_PAGES ? { nextCursor: `page ${pages}` } : {}) };
    },
    call: () => Promise.reject(new Error('nobody calls it')),
    hasNewTools: () => false,
    close: async () => undefined,
  };
  return { server, pages: () => pages };
}

describe('the list of a server’s tools', () => {
  it('is requested for no more pages than the limit, even if every page has new tools', async () => {
    const { server, pages } = endlessServer(1);
    expect(await listTools(server)).toMatchObject({ isCut: true });
    expect(pages()).toBe(MAX_PAGES + 1);
  });

  it('holds no more tools than the limit, however many a page has', async () => {
    const { server, pages } = endlessServer(MAX_OFFERED + 5);
    const { tools, isCut } = await listTools(server);
    expect([tools.length, isCut, pages()]).toEqual([MAX_OFFERED, true, 1]);
  });
});
