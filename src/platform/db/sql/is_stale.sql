-- Owner: track

-- Whether a finished file differs from its variant or is of another recording. Recordings are not compared if one is
-- unknown.
CREATE OR REPLACE FUNCTION is_stale(f track_file, v variant, t track) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN f.state = 'done'
        AND ((f.index, f.recipe) IS DISTINCT FROM (v.index, v.props) OR f.source_sha256 <> t.source_sha256);
