import { Page } from '../parts/page.tsx';

export default function Policies() {
  return <Page title="Policies">{null}</Page>;
}
