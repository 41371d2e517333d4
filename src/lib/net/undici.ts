// undici 6 is the version that `@actions/cache` and `@actions/github` depend on. 7 would be a second
// copy in the bundle. Only the modules that we use are loaded: the whole package has six times as
// much to run at the start.
import connect from 'undici/lib/api/api-connect.js';
import Agent from 'undici/lib/dispatcher/agent.js';
import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';
import Pool from 'undici/lib/dispatcher/pool.js';
import ProxyAgent from 'undici/lib/dispatcher/proxy-agent.js';
import { FormData } from 'undici/lib/web/fetch/formdata.js';
import { Headers } from 'undici/lib/web/fetch/headers.js';
import { fetch } from 'undici/lib/web/fetch/index.js';
import { Request } from 'undici/lib/web/fetch/request.js';
import { Response } from 'undici/lib/web/fetch/response.js';

// A tunnel through a proxy is opened by it. The index of the package, which we leave out, adds it.
Object.assign(Dispatcher.prototype, { connect });

// Node loads its own undici as soon as one of its globals is touched, and packages touch them
// (`instanceof Headers`). Ours take their place, so that there is one fetch in the process and its
// classes belong together.
Object.assign(globalThis, { fetch, FormData, Headers, Request, Response });

export { Agent, Dispatcher, fetch, Pool, ProxyAgent };
