// undici's types have no entries for its single modules.
declare module 'undici/lib/api/api-connect.js' {
  const connect: typeof import('undici').Dispatcher.prototype.connect;
  export default connect;
}
declare module 'undici/lib/dispatcher/agent.js' {
  export { Agent as default } from 'undici';
}
declare module 'undici/lib/dispatcher/dispatcher.js' {
  export { Dispatcher as default } from 'undici';
}
declare module 'undici/lib/dispatcher/pool.js' {
  export { Pool as default } from 'undici';
}
declare module 'undici/lib/dispatcher/proxy-agent.js' {
  export { ProxyAgent as default } from 'undici';
}
declare module 'undici/lib/web/fetch/formdata.js' {
  export { FormData } from 'undici';
}
declare module 'undici/lib/web/fetch/headers.js' {
  export { Headers } from 'undici';
}
declare module 'undici/lib/web/fetch/index.js' {
  export { fetch } from 'undici';
}
declare module 'undici/lib/web/fetch/request.js' {
  export { Request } from 'undici';
}
declare module 'undici/lib/web/fetch/response.js' {
  export { Response } from 'undici';
}
