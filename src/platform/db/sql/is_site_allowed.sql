-- Owner: playback

-- Whether a host is one of the sites of a share key. A site without a port has any, and one that begins with `*.` any
-- number of further names before it.
CREATE OR REPLACE FUNCTION ledger.is_site_allowed(host text, sites text[]) RETURNS boolean
LANGUAGE sql IMMUTABLE
AS $$
    SELECT EXISTS (
        SELECT FROM unnest(sites) AS site,
            LATERAL (SELECT CASE WHEN site ~ ':\d+$' THEN host ELSE regexp_replace(host, ':\d+$', '') END AS name) h
        WHERE h.name = site OR (left(site, 2) = '*.' AND right(h.name, length(site) - 1) = substr(site, 2))
    )
$$;
