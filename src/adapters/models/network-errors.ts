import type { NetworkCause } from '../../core/network-cause.js';

/** Go's words for the network errors people meet, so that logs read as axe's (axe-behaviour §12). */
export function networkText({ code, message }: NetworkCause, { host, hostname }: URL): string {
  switch (code) {
    case 'ECONNREFUSED':
      return `dial tcp ${host}: connect: connection refused`;
    case 'ENOTFOUND':
      return `dial tcp: lookup ${hostname}: no such host`;
    case 'ECONNRESET':
    // undici's word for it: "other side closed".
    case 'UND_ERR_SOCKET':
      return 'connection reset by peer';
    default:
      return message;
  }
}
