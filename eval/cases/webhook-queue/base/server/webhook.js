import { handle } from './handle.js';

export async function onWebhook(request, response) {
  await handle(request.body);
  response.writeHead(200).end();
}
