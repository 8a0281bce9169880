import { useState } from 'react'
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components'
import { t } from '../../strings.ts'
import { useChange, usePages } from '../api.ts'
import { DeleteVariantDocument, type VariantRowFragment, VariantsDocument } from '../generated/operations.ts'
import { useCanWrite } from '../role.ts'
import { Button } from '../ui/button.tsx'
import { Confirm } from '../ui/dialog.tsx'
import { PageHeading } from '../ui/page-heading.tsx'
import { PagedList } from '../ui/paged-list.tsx'
import { ApplyVariant } from './apply.tsx'
import { Batches } from './batches.tsx'
import { describeSettings } from './settings.ts'
import { Stale } from './stale.tsx'
import { typeNames } from './types.ts'
import { CreateVariant, EditVariant } from './variant-form.tsx'

/** The files that every upload gets, their application to existing tracks, and files that are out of date. */
export default function Variants() {
  return (
    <>
      <PageHeading text={t('studio.variants')} />
      <p className="quiet">{t('variant.lead')}</p>
      <Tabs>
        <TabList aria-label={t('studio.variants')} className="tab-list">
          <Tab id="variants">{t('studio.variants')}</Tab>
          <Tab id="batches">{t('variant.batches')}</Tab>
          <Tab id="stale">{t('variant.stale')}</Tab>
        </TabList>
        <TabPanel id="variants">
          <List />
        </TabPanel>
        <TabPanel id="batches">
          <Batches />
        </TabPanel>
        <TabPanel id="stale">
          <Stale />
        </TabPanel>
      </Tabs>
    </>
  )
}

type Open = { dialog: 'create' } | { dialog: 'edit' | 'apply' | 'delete'; variant: VariantRowFragment }

function List() {
  const canWrite = useCanWrite()
  const [open, setOpen] = useState<Open | null>(null)
  const pages = usePages(VariantsDocument, {}, (data) => data.variants)
  const close = () => setOpen(null)
  return (
    <>
      {canWrite && (
        <div className="toolbar">
          <Button kind="primary" onPress={() => setOpen({ dialog: 'create' })}>
            {t('variant.create')}
          </Button>
        </div>
      )}
      <PagedList label={t('studio.variants')} pages={pages} textOf={({ index }) => index} rowHeight={ROW_PX}>
        {(variant) => (
          <>
            <span className="variant-row">
              <strong>{variant.index}</strong>
              <span>{t(typeNames[variant.variantTypeId])}</span>
              <small>{describeSettings(variant)}</small>
            </span>
            {canWrite && (
              <span className="row-actions">
                <Button onPress={() => setOpen({ dialog: 'apply', variant })}>{t('variant.apply')}</Button>
                <Button onPress={() => setOpen({ dialog: 'edit', variant })}>{t('studio.edit')}</Button>
                <Button onPress={() => setOpen({ dialog: 'delete', variant })}>{t('studio.delete')}</Button>
              </span>
            )}
          </>
        )}
      </PagedList>
      {open?.dialog === 'create' && <CreateVariant onClose={close} />}
      {open?.dialog === 'edit' && <EditVariant of={open.variant} onClose={close} />}
      {open?.dialog === 'apply' && <ApplyVariant of={open.variant} onClose={close} />}
      {open?.dialog === 'delete' && <DeleteVariant of={open.variant} onClose={close} />}
    </>
  )
}

const ROW_PX = 104

function DeleteVariant({ of: { id, index }, onClose }: { of: VariantRowFragment; onClose: () => void }) {
  const remove = useChange(DeleteVariantDocument)
  return (
    <Confirm
      title={t('variant.delete', { index })}
      text={t('variant.deleteHint')}
      label={t('studio.delete')}
      isOpen
      isBusy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate({ id }, { onSuccess: onClose })}
      onClose={onClose}
    />
  )
}
