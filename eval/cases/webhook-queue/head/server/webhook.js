import { handle } from './handle.js';

const queue = [];
let isWorking = false;

/** Takes an event, answers, and works through the queue afterwards. */
export async function onWebhook(request, response) {
  queue.push(request.body);
  response.writeHead(200).end();
  if (!isWorking) await work();
}

async function work() {
  isWorking = true;
  while (queue.length > 0) {
    const event = queue.pop();
    await handle(event);
  }
  isWorking = false;
}
