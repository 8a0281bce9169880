import { Route, Switch } from 'wouter'
import { EndpointPage } from './endpoint-page.tsx'
import { Endpoints } from './endpoints.tsx'

/** The endpoints that events are sent to, and the deliveries to each. */
export default function Webhooks() {
  return (
    <Switch>
      <Route path="/:id">{({ id }) => <EndpointPage id={id} />}</Route>
      <Route>
        <Endpoints />
      </Route>
    </Switch>
  )
}
