import { channel } from 'node:diagnostics_channel';
import { createServer } from 'node:http';
import { expect, it, jest } from '@jest/globals';

it('loads the toolkit once a request has been sent, and not before', async () => {
  const loads: string[] = [];
  jest.unstable_mockModule('@actions/core', () => {
    loads.push('@actions/core');
    return {};
  });
  const { loadToolkit, loadToolkitOnceSent } = await import('../../../src/actions/runner/toolkit.js');
  const sent = channel('undici:request:bodySent');
  loadToolkitOnceSent();
  loadToolkitOnceSent();
  expect(sent.hasSubscribers).toBe(true);
  expect(loads).toEqual([]);

  await post('What is new?');
  expect(sent.hasSubscribers).toBe(false);
  await loadToolkit();
  expect(loads).toEqual(['@actions/core']);

  loadToolkitOnceSent();
  expect(sent.hasSubscribers).toBe(false);
});

/** Sends a request with a body through `fetch`, as a model is asked, and waits for the answer. */
async function post(body: string): Promise<void> {
  const server = createServer((request, response) => request.resume().on('end', () => response.end()));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  try {
    await (await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body })).text();
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
