import { spawn } from 'node:child_process';
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'chrome'];

/** Starts a headless Chromium that is driven through a pipe, and takes pictures of pages. */
export async function openBrowser() {
  const profile = mkdtempSync(join(tmpdir(), 'docs-images-'));
  const args = [
    '--headless=new',
    '--no-sandbox',
    '--disable-gpu',
    '--hide-scrollbars',
    '--font-render-hinting=none',
  ];
  const child = spawn(
    findChromium(),
    [...args, '--remote-debugging-pipe', `--user-data-dir=${profile}`],
    {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
    },
  );
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const send = connect(child.stdio[3], child.stdio[4], ended);
  const { targetId } = await send('Target.createTarget', { url: 'about:blank' });
  const { sessionId } = await send('Target.attachToTarget', { targetId, flatten: true });
  const call = (method, params) => send(method, params, sessionId);
  const { frameTree } = await call('Page.getFrameTree');
  return {
    /** A PNG of the element `#picture`, which decides about its size. */
    async screenshot(html, scale) {
      await call('Emulation.setDeviceMetricsOverride', {
        width: 1280,
        height: 800,
        deviceScaleFactor: scale,
        mobile: false,
      });
      await call('Page.setDocumentContent', { frameId: frameTree.frame.id, html });
      const { result } = await call('Runtime.evaluate', {
        awaitPromise: true,
        returnByValue: true,
        expression: `document.fonts.ready.then(() => {
          const { x, y, width, height } = document.querySelector('#picture').getBoundingClientRect();
          return { x, y, width: Math.ceil(width), height: Math.ceil(height) };
        })`,
      });
      const { data } = await call('Page.captureScreenshot', {
        clip: { ...result.value, scale: 1 },
        captureBeyondViewport: true,
      });
      return Buffer.from(data, 'base64');
    },
    async close() {
      await send('Browser.close').catch(() => undefined);
      await ended;
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Chromium's protocol: JSON that ends with a zero byte, answers by the number of the request. */
function connect(input, output, ended) {
  const pending = new Map();
  let buffer = '';
  let last = 0;
  output.setEncoding('utf8');
  output.on('data', (chunk) => {
    const messages = (buffer + chunk).split('\0');
    buffer = messages.pop();
    for (const { id, result, error } of messages.map((message) => JSON.parse(message))) {
      const { resolve, reject } = pending.get(id) ?? {};
      pending.delete(id);
      if (error === undefined) resolve?.(result);
      else reject?.(new Error(error.message));
    }
  });
  ended.then(() => {
    for (const { reject } of pending.values()) reject(new Error('Chromium ended'));
  });
  return (method, params = {}, sessionId = undefined) =>
    new Promise((resolve, reject) => {
      last += 1;
      pending.set(last, { resolve, reject });
      input.write(`${JSON.stringify({ id: last, method, params, sessionId })}\0`);
    });
}

function findChromium() {
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  const folders = (process.env.PATH ?? '').split(delimiter);
  const found = NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(
    isExecutable,
  );
  if (found === undefined)
    throw new Error('Chromium is not in PATH; install it, or name the program in CHROMIUM');
  return found;
}

function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
