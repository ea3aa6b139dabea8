import { read } from '../api/call.ts';
import { personalPrefix } from '../api/session.ts';
import { type ApiDocument, type Route, routesOf, soapRoute } from '../model/routes.ts';

/** The documents that say what can be called. */
const documents = ['/insurer/v1', '/claims/v1', '/vehicle-registry/v2', '/range/v1'].map(
  (base) => `${base}/openapi.json`,
);

let loaded: { readonly prefix: string; readonly routes: Promise<readonly Route[]> } | undefined;

/** All that can be called, with examples that are made for the client of this browser. They are read once. */
export function loadRoutes(): Promise<readonly Route[]> {
  const prefix = new URL(personalPrefix.peek()).pathname.replace(/\/$/, '');
  if (loaded?.prefix !== prefix) {
    const all = documents.map((path) => read<ApiDocument>(prefix + path, { as: 'nobody' }).then(routesOf));
    const routes = Promise.all(all).then((found) => [...found.flat(), soapRoute]);
    loaded = { prefix, routes };
    routes.catch(() => {
      loaded = undefined;
    });
  }
  return loaded.routes;
}
